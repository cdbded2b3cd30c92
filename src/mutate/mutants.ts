/** The mutants of a policy set: copies with one small change each. Which mutants there are depends on the policies alone. */

import type { PolicySet } from "../decisions/policy-set.js";
import type { PolicyFile } from "../policy/parse.js";
import { SCHEMA_DIRECTORY } from "../policy/schemas.js";
import type { Source } from "../policy/text/source.js";
import type { Edit } from "./edit.js";
import { policyEdits } from "./policy-edits.js";
import { type PolicyDocument, policyDocumentOf } from "./policy-parts.js";
import { schemaEdits } from "./schema-edits.js";
import { MutationVocabulary } from "./vocabulary.js";

/** A change of one place: the text `from`, which stands at `line` and `column` of `file`, replaced by `to`. */
export interface MutantPlace {
  readonly id: string;
  /** The path in the policy directory. */
  readonly file: string;
  /** Lines and columns count from 1. */
  readonly line: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
  /** The change in words. */
  readonly change: string;
}

/** A mutant, with the text of its changed file. */
export interface Mutant extends MutantPlace {
  readonly text: string;
}

/** Every mutant, by file and position. Some of them may not load. */
export function mutantsOf({ files, model, configuration }: PolicySet): readonly Mutant[] {
  const documents = files.flatMap((file) => (isSchema(file) ? [] : (policyDocumentOf(file) ?? [])));
  const vocabulary = new MutationVocabulary(documents, model.schemas, {
    version: configuration.permissionVersion,
    names: model.configuration?.roles ?? [],
  });
  const ofFiles: { readonly source: Source; readonly edits: readonly Edit[] }[] = [
    ...documents.map((document: PolicyDocument) => ({
      source: document.source,
      edits: policyEdits(document, { vocabulary, configuration }),
    })),
    ...files.filter(isSchema).map(schemaEdits),
  ];
  const mutants = ofFiles.flatMap(({ source, edits }) => distinct(edits).map((edit) => mutantBy(edit, source)));
  return withIds(mutants);
}

export function isSchemaFile(path: string): boolean {
  return path.startsWith(SCHEMA_DIRECTORY);
}

function isSchema({ path }: PolicyFile): boolean {
  return isSchemaFile(path);
}

/** The edits by position. Of edits that give the same text, the first. */
function distinct(edits: readonly Edit[]): readonly Edit[] {
  const known = new Map<string, Edit>();
  for (const edit of edits) {
    const key = JSON.stringify([edit.start, edit.end, edit.to]);
    if (!known.has(key)) known.set(key, edit);
  }
  return [...known.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

function mutantBy({ start, end, to, change }: Edit, source: Source): Omit<Mutant, "id"> {
  const { text } = source;
  const mark = source.hasMark ? "\ufeff" : "";
  return {
    ...source.position(start),
    from: text.slice(start, end),
    to,
    change,
    text: mark + text.slice(0, start) + to + text.slice(end),
  };
}

/** Mutants of one place are numbered. */
function withIds(mutants: readonly Omit<Mutant, "id">[]): readonly Mutant[] {
  const counts = new Map<string, number>();
  return mutants.map((mutant) => {
    const place = `${mutant.file}:${mutant.line}:${mutant.column}`;
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    return { id: `${place}#${count}`, ...mutant };
  });
}

/** The files of a set with the change of a mutant. */
export function mutatedFiles(files: readonly PolicyFile[], { file, text }: Mutant): readonly PolicyFile[] {
  return files.map((one) => (one.path === file ? { path: file, text } : one));
}
