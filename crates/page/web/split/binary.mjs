// WebAssembly modules as bytes: their sections, and the functions that bodies name.
//
// As the core specification's chapter "Binary Format" has it, for what the Rust compiler writes:
// one table, one memory, no threads.

/** Numbers of sections. */
export const SECTION = {
  type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6, export: 7, element: 9, code: 10,
};

/** Kinds of what is imported and exported. */
export const KIND = { function: 0, table: 1, memory: 2, global: 3 };

/** Opcodes that are written here. */
export const OP = {
  if: 0x04, end: 0x0b, call: 0x10, callIndirect: 0x11, localGet: 0x20, globalGet: 0x23,
  globalSet: 0x24, i32Store8: 0x3a, i32Const: 0x41, i32Eqz: 0x45,
};

/** A place in bytes, which reading moves on. */
export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get isDone() {
    return this.at >= this.bytes.length;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** An unsigned number. */
  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  /** Skips numbers, signed or not. */
  skip(numbers = 1) {
    for (let skipped = 0; skipped < numbers; skipped++) while (this.byte() >= 128);
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  list(read) {
    return Array.from({ length: this.number() }, () => read(this));
  }

  name() {
    return Buffer.from(this.take(this.number())).toString();
  }

  /** Skips an expression that is one constant, and gives its bytes. */
  constant() {
    const start = this.at;
    while (this.byte() !== OP.end) this.skip();
    return this.bytes.subarray(start, this.at);
  }
}

/** The bytes of an unsigned number. */
export function number(value) {
  const bytes = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push(value % 128 + (rest ? 128 : 0));
    value = rest;
  } while (value);
  return bytes;
}

/** The bytes of a constant of 32 bits. */
export function constant(value) {
  const bytes = [OP.i32Const];
  for (;;) {
    const byte = value & 127;
    value >>= 7;
    const isLast = value === 0 && byte < 64;
    bytes.push(isLast ? byte : byte + 128);
    if (isLast) return bytes;
  }
}

export function name(text) {
  const bytes = Buffer.from(text);
  return [...number(bytes.length), ...bytes];
}

/** A list of items that are bytes. */
export function list(items) {
  return Buffer.concat([number(items.length), ...items].map(item => Buffer.from(item)));
}

/** Bytes with their length before them. */
export function sized(bytes) {
  return Buffer.concat([number(bytes.length), bytes].map(part => Buffer.from(part)));
}

/** The sections of a module by number, without custom ones. */
export function readSections(bytes) {
  const reader = new Reader(bytes, 8);
  const sections = new Map();
  while (!reader.isDone) {
    const number = reader.byte();
    const content = reader.take(reader.number());
    if (number) sections.set(number, content);
  }
  return sections;
}

/** A module of sections, which stand in the order of their numbers. */
export function writeSections(sections) {
  const order = [...sections].sort(([a], [b]) => rank(a) - rank(b));
  const magic = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  const parts = order.flatMap(([number, content]) => [Buffer.from([number]), sized(content)]);
  return Buffer.concat([magic, ...parts]);
}

/** The count of data stands before the code, whatever its number. */
function rank(number) {
  return number === 12 ? 9.5 : number;
}

/** The body with the functions that it names replaced by what `renumber` says. */
export function renumbered(body, renumber) {
  const parts = [];
  let copied = 0;
  for (const [start, end, named] of functionsOf(body)) {
    parts.push(body.subarray(copied, start), Buffer.from(number(renumber(named))));
    copied = end;
  }
  return Buffer.concat([...parts, body.subarray(copied)]);
}

/** Where instructions begin: behind the local variables. */
export function codeStart(body) {
  const reader = new Reader(body);
  for (let groups = reader.number(); groups > 0; groups--) reader.skip(2);
  return reader.at;
}

/** Where a body names a function: start and end of its number, and the number. */
export function* functionsOf(body) {
  const reader = new Reader(body, codeStart(body));
  while (!reader.isDone) {
    const opcode = reader.byte();
    if (opcode === OP.call || opcode === 0x12 || opcode === 0xd2) {
      const start = reader.at;
      const named = reader.number();
      yield [start, reader.at, named];
    } else skipOperands(reader, opcode);
  }
}

function skipOperands(reader, opcode) {
  if (opcode === 0xfc) skipMore(reader, reader.number());
  else if (opcode === 0xfd) skipVector(reader, reader.number());
  else if (opcode >= 0x28 && opcode <= 0x3e) reader.skip(2);
  else if (opcode === 0x0e || opcode === 0x1c) {
    reader.skip(reader.number() + (opcode === 0x0e ? 1 : 0));
  } else if (opcode === OP.callIndirect || opcode === 0x13) reader.skip(2);
  else if (opcode === 0x43) reader.take(4);
  else if (opcode === 0x44) reader.take(8);
  else if (hasNumber(opcode)) reader.skip();
  else if (!isPlain(opcode)) throw new Error(`opcode 0x${opcode.toString(16)} is not known here`);
}

function hasNumber(opcode) {
  return (opcode >= 0x02 && opcode <= 0x04) || opcode === 0x0c || opcode === 0x0d
    || (opcode >= 0x20 && opcode <= 0x26) || (opcode >= 0x3f && opcode <= 0x42) || opcode === 0xd0;
}

function isPlain(opcode) {
  return opcode <= 0x01 || opcode === 0x05 || opcode === OP.end || opcode === 0x0f
    || opcode === 0x1a || opcode === 0x1b || (opcode >= 0x45 && opcode <= 0xc4) || opcode === 0xd1;
}

/** Conversions that saturate, and bulk memory. */
function skipMore(reader, opcode) {
  if (opcode > 17) throw new Error(`opcode 0xfc ${opcode} is not known here`);
  reader.skip([0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1][opcode]);
}

function skipVector(reader, opcode) {
  if (opcode <= 11 || opcode === 92 || opcode === 93) reader.skip(2);
  else if (opcode <= 13) reader.take(16);
  else if (opcode >= 21 && opcode <= 34) reader.take(1);
  else if (opcode >= 84 && opcode <= 91) {
    reader.skip(2);
    reader.take(1);
  }
}
