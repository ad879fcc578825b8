// Splits a module in two: what a page loads at once, and what it loads when it is first needed.
//
// Both parts share the memory, the table and the globals of the first one. A function of the second
// part that the first one calls, or that stands in the table, has a stand-in in the first part. It
// asks for the second part if it is not there yet (the imported function `more`), and goes on
// through a slot of the table that the second part fills. So the parts behave as the whole does,
// wherever it was cut; binaryen's wasm-split goes about it the same way.

import {
  codeStart, constant, functionsOf, KIND, list, name, number, OP, Reader, readSections, renumbered,
  SECTION, sized, writeSections,
} from "./binary.mjs";

/** What is imported comes from here. */
const FROM = "siliray";

const FUNCTION_TYPE = 0x60;
const FUNCTIONS = 0x70;
const NO_VALUE = 0x40;
const MUTABLE_I32 = [0x7f, 1];

/** Reads what of a module is needed to split it. */
export function readModule(bytes) {
  const sections = readSections(bytes);
  const read = (number, item) => new Reader(sections.get(number) ?? [0]).list(item);
  const imports = read(SECTION.import, reader => {
    const start = reader.at;
    const [, , kind] = [reader.name(), reader.name(), reader.byte()];
    if (kind !== KIND.function) throw new Error("what is imported is not a function");
    const type = reader.number();
    return { type, bytes: reader.bytes.subarray(start, reader.at) };
  });
  const nobody = imports.map(() => null);
  return {
    sections,
    imports,
    types: read(SECTION.type, reader => {
      const start = reader.at++;
      const [takes] = [reader.take(reader.number()), reader.take(reader.number())];
      return { takes: takes.length, bytes: reader.bytes.subarray(start, reader.at) };
    }),
    /** Of each function; what is imported has no body. */
    typeOf: [...imports.map(({ type }) => type), ...read(SECTION.function, each => each.number())],
    bodies: [...nobody, ...read(SECTION.code, reader => reader.take(reader.number()))],
    globals: read(SECTION.global, reader => {
      const type = reader.take(2);
      return { type, bytes: Buffer.concat([type, reader.constant()]) };
    }),
    exports: read(SECTION.export, reader => {
      const exported = reader.name();
      return { name: exported, kind: reader.byte(), index: reader.number() };
    }),
    elements: read(SECTION.element, reader => {
      if (reader.number() !== 0) throw new Error("elements of this kind are not known here");
      const offset = new Reader(reader.constant(), 1).number();
      return { offset, functions: reader.list(each => each.number()) };
    }),
    slots: new Reader(sections.get(SECTION.table), 3).number(),
  };
}

/** The first part holds the functions for which `isKept` says so, and those that are exported. */
export function split(bytes, isKept) {
  const module = readModule(bytes);
  const same = merge(module);
  const exported = module.exports.filter(({ kind }) => kind === KIND.function);
  const isFirst = new Set(exported.map(({ index }) => same[index]));
  same.forEach((one, index) => (isKept(index) || !module.bodies[index]) && isFirst.add(one));
  const all = same.filter((one, index) => one === index && module.bodies[index]);
  const kept = all.filter(index => isFirst.has(index));
  const rest = all.filter(index => !isFirst.has(index));
  const cut = { module, same, kept, rest, ...seam(module, same, isFirst) };
  return { first: firstPart(cut), second: secondPart(cut) };
}

/**
 * For each function the first one that does the same, word for word: generic code for two types of
 * the same layout. Such functions may name others that are the same.
 */
function merge({ bodies, typeOf }) {
  let same = bodies.map((_, index) => index);
  for (let hasFound = true; hasFound;) {
    const known = new Map();
    const next = bodies.map((body, index) => {
      if (!body) return index;
      const words = `${typeOf[index]} ${renumbered(body, one => same[one]).toString("latin1")}`;
      if (!known.has(words)) known.set(words, index);
      return known.get(words);
    });
    hasFound = next.some((one, index) => one !== same[index]);
    same = next;
  }
  return same;
}

/** Functions of the second part that the first one names, and the other way round. */
function seam({ bodies, elements }, same, isFirst) {
  const named = isFrom => new Set(bodies.flatMap((body, index) =>
    body && same[index] === index && isFrom(index)
      ? Array.from(functionsOf(body), ([, , found]) => same[found]) : []));
  const inTable = elements.flatMap(({ functions }) => functions.map(index => same[index]));
  const down = [...named(index => isFirst.has(index)), ...inTable];
  const up = [...named(index => !isFirst.has(index))];
  const sorted = (found, isWanted) => [...new Set(found)].filter(isWanted).sort((a, b) => a - b);
  return {
    down: sorted(down, index => !isFirst.has(index)),
    up: sorted(up, index => isFirst.has(index)),
  };
}

function firstPart({ module, same, kept, down, up }) {
  const { sections, imports, types, typeOf, bodies, globals, exports, elements, slots } = module;
  // Behind what is imported anyway: `more`, and what asks it.
  const [more, readiness] = [imports.length, imports.length + 1];
  const isReady = globals.length;
  const indices = new Map([
    ...imports.map((_, index) => [index, index]),
    ...[...kept, ...down].map((index, place) => [index, readiness + 1 + place]),
  ]);
  const nothing = types.length;
  const standIn = (index, place) => {
    const { takes } = types[typeOf[index]];
    const given = Array.from({ length: takes }, (_, local) => [OP.localGet, ...number(local)]);
    return [0, OP.call, ...number(readiness), ...given.flat(), ...constant(slots + place),
      OP.callIndirect, ...number(typeOf[index]), 0, OP.end];
  };
  const ready = [0, OP.globalGet, ...number(isReady), OP.i32Eqz, OP.if, NO_VALUE,
    OP.call, ...number(more), ...constant(1), OP.globalSet, ...number(isReady), OP.end, OP.end];
  const given = (text, kind, index) => [...name(text), kind, ...number(index)];
  const renumber = index => indices.get(same[index]);
  return writeSections(new Map([
    ...sections,
    [SECTION.type, list([...types.map(type => type.bytes), [FUNCTION_TYPE, 0, 0]])],
    [SECTION.import, list([...imports.map(each => each.bytes),
      [...name(FROM), ...name("more"), KIND.function, ...number(nothing)]])],
    [SECTION.function, list([nothing, ...[...kept, ...down].map(index => typeOf[index])]
      .map(number))],
    [SECTION.table, list([table(slots + down.length)])],
    [SECTION.global, list([...globals.map(each => each.bytes),
      [...MUTABLE_I32, ...constant(0), OP.end]])],
    [SECTION.export, list([
      ...exports.map(({ name: text, kind, index }) =>
        given(text, kind, kind === KIND.function ? renumber(index) : index)),
      given("table", KIND.table, 0),
      ...globals.map((_, index) => given(globalName(index), KIND.global, index)),
      ...up.map((index, place) => given(functionName(place), KIND.function, renumber(index))),
    ])],
    [SECTION.element, list(elements.map(({ offset, functions }) =>
      element(offset, functions.map(renumber))))],
    [SECTION.code, list([ready, ...kept.map(index => renumbered(bodies[index], renumber)),
      ...down.map(standIn)].map(sized))],
  ]));
}

function secondPart({ module, same, rest, down, up }) {
  const { sections, types, typeOf, bodies, globals, elements, slots } = module;
  const indices = new Map([...up, ...rest].map((index, place) => [index, place]));
  const renumber = index => indices.get(same[index]);
  const imported = (text, kind, type) => [...name(FROM), ...name(text), kind, ...type];
  const memory = sections.get(SECTION.memory).subarray(1);
  const isRest = new Set(rest);
  const runs = elements.flatMap(({ offset, functions }) =>
    runsOf(offset, functions, index => isRest.has(same[index])));
  return writeSections(new Map([
    [SECTION.type, list(types.map(type => type.bytes))],
    [SECTION.import, list([
      ...up.map((index, place) =>
        imported(functionName(place), KIND.function, number(typeOf[index]))),
      imported("table", KIND.table, table(slots + down.length)),
      imported("memory", KIND.memory, memory),
      ...globals.map(({ type }, index) => imported(globalName(index), KIND.global, type)),
    ])],
    [SECTION.function, list(rest.map(index => number(typeOf[index])))],
    [SECTION.element, list([[slots, down], ...runs].map(([start, found]) =>
      element(start, found.map(renumber))))],
    [SECTION.code, list(rest.map(index => sized(renumbered(bodies[index], renumber))))],
  ]));
}

/** Stretches of slots from `first` on whose functions are wanted: where each starts, and they. */
function runsOf(first, functions, isWanted) {
  const runs = [];
  functions.forEach((index, at) => {
    if (!isWanted(index)) return;
    const last = runs.at(-1);
    if (last && last[0] + last[1].length === first + at) last[1].push(index);
    else runs.push([first + at, [index]]);
  });
  return runs;
}

function table(slots) {
  return [FUNCTIONS, 1, ...number(slots), ...number(slots)];
}

function element(offset, functions) {
  return Buffer.concat([
    Buffer.from([0, ...constant(offset), OP.end]), list(functions.map(number)),
  ]);
}

function globalName(index) {
  return `g${index}`;
}

function functionName(place) {
  return `f${place.toString(36)}`;
}

/** The module with a mark for every function that has run, and where the marks stand in memory. */
export function marking(bytes) {
  const { sections, imports, bodies } = readModule(bytes);
  const memory = new Reader(sections.get(SECTION.memory), 1);
  if (memory.byte() !== 0) throw new Error("a memory with an end has no room for marks");
  const pages = memory.number();
  // What the module asks for lies behind the memory that it begins with.
  const marks = pages * 65536;
  const more = Math.ceil(bodies.length / 65536);
  const marked = bodies.slice(imports.length).map((body, place) => {
    const start = codeStart(body);
    const mark = [...constant(marks + imports.length + place), ...constant(1), OP.i32Store8, 0, 0];
    return sized(Buffer.concat([body.subarray(0, start), Buffer.from(mark), body.subarray(start)]));
  });
  const module = writeSections(new Map([
    ...sections,
    [SECTION.memory, list([[0, ...number(pages + more)]])],
    [SECTION.code, list(marked)],
  ]));
  return { module, marks, count: bodies.length };
}
