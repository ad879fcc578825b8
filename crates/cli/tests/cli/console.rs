//! What the command prints, word for word: help, mistakes, bad input.

#[test]
fn sessions() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
