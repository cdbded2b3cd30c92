/** The fixtures in the `testdata` directory beside a suite. */

import * as E from "fp-ts/lib/Either.js";
import type { PolicyFile } from "../../policy/parse.js";
import type { SuiteFiles } from "../files.js";
import { readDocument } from "./document.js";
import type { CerbosFileKind } from "./shapes.js";
import { type CerbosFixtures, readFixtures } from "./suite.js";

const NONE: CerbosFixtures = readFixtures({});

/** Where several files have one name, the server takes the first in this order of extensions. */
const EXTENSIONS = ["json", "yaml", "yml"];

const AUX_DATA = ["auxdata", "auxData", "aux_data"];

/** Reads the fixtures of directories; caches each directory, as several suites can share one. */
export class FixtureDirectories {
  private readonly files: SuiteFiles;
  private readonly known = new Map<string, E.Either<string, CerbosFixtures>>();

  constructor(files: SuiteFiles) {
    this.files = files;
  }

  /** The fixtures of the suite at `path`; empty if there is no `testdata` directory. */
  beside(path: string): E.Either<string, CerbosFixtures> {
    const directory = `${path.slice(0, path.lastIndexOf("/") + 1)}testdata`;
    const known = this.known.get(directory);
    if (known !== undefined) return known;
    const fixtures = E.mapLeft((fault: string) => `failed to load test fixtures from ${directory}: ${fault}`)(
      this.load(directory),
    );
    this.known.set(directory, fixtures);
    return fixtures;
  }

  private load(directory: string): E.Either<string, CerbosFixtures> {
    const principals = this.read(directory, ["principals"], "principals", "principals");
    if (E.isLeft(principals)) return principals;
    const resources = this.read(directory, ["resources"], "resources", "resources");
    if (E.isLeft(resources)) return resources;
    const auxData = this.read(directory, AUX_DATA, "auxData", "aux data");
    if (E.isLeft(auxData)) return auxData;
    return E.right({ ...principals.right, ...pick(resources.right), auxData: auxData.right.auxData });
  }

  private read(
    directory: string,
    stems: readonly string[],
    kind: CerbosFileKind,
    noun: string,
  ): E.Either<string, CerbosFixtures> {
    const file = this.find(directory, stems);
    if (file === undefined) return E.right(NONE);
    const fixtures = E.map(readFixtures)(readDocument(file, kind));
    if (E.isLeft(fixtures)) return E.left(`failed to load ${noun}:${fixtures.left}`);
    const fault = groupFault(fixtures.right, fixtures.right);
    return fault === undefined ? fixtures : E.left(`failed to load ${noun}: ${fault}`);
  }

  private find(directory: string, stems: readonly string[]): PolicyFile | undefined {
    for (const stem of stems) {
      for (const extension of EXTENSIONS) {
        const path = `${directory}/${stem}.${extension}`;
        const text = this.files.get(path);
        if (text !== undefined) return { path, text };
      }
    }
    return undefined;
  }
}

function pick({ resources, resourceGroups }: CerbosFixtures): Pick<CerbosFixtures, "resources" | "resourceGroups"> {
  return { resources, resourceGroups };
}

/** The fault of the groups of a file: a member that does not exist. Undefined if there is none. */
function groupFault(groups: CerbosFixtures, members: CerbosFixtures): string | undefined {
  return (
    memberFault(groups.principalGroups, (name) => members.principals.has(name)) ??
    memberFault(groups.resourceGroups, (name) => members.resources.has(name))
  );
}

/** The fault of the first group member that does not exist. */
export function memberFault(
  groups: ReadonlyMap<string, readonly string[]>,
  exists: (name: string) => boolean,
): string | undefined {
  for (const [group, members] of groups) {
    for (const name of members) {
      if (!exists(name)) return `missing fixture ${quoted(name)} referenced in group ${quoted(group)}`;
    }
  }
  return undefined;
}

/** Quotes a name as Go's `%q` does, for the names that people write. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
