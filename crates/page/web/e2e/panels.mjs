// Panels by their names: which digit shows which may change.

/** Brings a panel to the front, as a hand would. */
export async function show(page, name) {
  await page.locator(".tab:visible", { hasText: name }).first().click();
}
