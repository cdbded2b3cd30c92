/** Statements about requests in plain words. */

import { Spans } from "../../cel/spans.js";
import type { About, Requirement } from "../../proof/ways/statements.js";
import { PRINCIPAL_NAMES } from "../policies.js";
import { partWords } from "../words/expression.js";
import { type ConditionWords, code, inline, plain, say } from "../words/phrase.js";
import type { SpokenCondition } from "./types.js";

/** A requirement on a request, in words. */
export function requirementWords({ statement: { about }, is }: Requirement): SpokenCondition {
  if (is !== "either") return said(about, wordsFor(about, is === "so"));
  return said(about, say("it can be told whether ", inline(wordsFor(about, true))));
}

function said(about: About, words: ConditionWords): SpokenCondition {
  const text = plain(words);
  if (about.kind !== "part") return { text };
  return { text, source: new Spans(about.of.source).textOf(about.expr), layer: about.layer };
}

function wordsFor(about: About, holds: boolean): ConditionWords {
  switch (about.kind) {
    case "part": {
      const subjects = { principal: PRINCIPAL_NAMES[about.layer], constants: about.definitions.constants };
      return partWords(about.expr, about.of.source, subjects, holds);
    }
    case "role":
      return roleWords(about, holds);
    case "field": {
      const subject = about.subject === "resource" ? "the resource" : `the ${about.subject}`;
      if (about.value === "") return say(`${subject} has ${holds ? "no" : "a"} ${about.field}`);
      return say(`${subject}'s ${about.field} ${holds ? "is" : "is not"} `, code(about.value));
    }
    case "schemas":
      return say(`the attributes are ${holds ? "" : "not "}as the schemas have them`);
  }
}

function roleWords({ role, stands }: Extract<About, { kind: "role" }>, holds: boolean): ConditionWords {
  switch (stands) {
    case "itself":
      return say(`the key ${holds ? "has" : "does not have"} the role `, code(role));
    case "others":
      return say(holds ? "the key has a role that no rule names" : "rules name each role of the key");
    case "likes":
      return say(`the key has ${holds ? "a" : "no"} role such as `, code(role));
  }
}
