// What a walk has found, in a few words.

import { plural } from "../../format";
import type { Walk } from "../../protocol";
import { single } from "./single";

export function answerOf({ answer, error, nothing }: Walk): string {
  if (error) return error;
  const hits = (answer?.hits as { t: number }[] | undefined) ?? [];
  const [first, second] = hits;
  if (!first) return `no hit${nothing ? `: ${nothing}` : ""}`;
  return `${plural(hits.length, "hit")}${second ? ", first" : ""} at t ${single(first.t)}`;
}
