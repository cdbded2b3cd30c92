/** The fixtures in the `testdata` directory beside a suite. */

import * as E from "fp-ts/lib/Either.js";
import type { PolicyFile } from "../../policy/parse.js";
import type { SuiteFiles } from "../files.js";
import { readDocument } from "./document.js";
import type { CerbosFileKind } from "./shapes.js";
import { type Fixtures, readFixtures } from "./suite.js";

const NONE: Fixtures = readFixtures({});

/** Of several files of one name, the server takes the first by extension. */
const EXTENSIONS = ["json", "yaml", "yml"];

const AUX_DATA = ["auxdata", "auxData", "aux_data"];

/** Fixtures of a directory; each is read once for all suites beside it. */
export class FixtureDirectories {
  private readonly files: SuiteFiles;
  private readonly known = new Map<string, E.Either<string, Fixtures>>();

  constructor(files: SuiteFiles) {
    this.files = files;
  }

  /** The fixtures of the suite at `path`: none if there is no directory. */
  beside(path: string): E.Either<string, Fixtures> {
    const directory = `${path.slice(0, path.lastIndexOf("/") + 1)}testdata`;
    const known = this.known.get(directory);
    if (known !== undefined) return known;
    const fixtures = E.mapLeft((fault: string) => `failed to load test fixtures from ${directory}: ${fault}`)(
      this.load(directory),
    );
    this.known.set(directory, fixtures);
    return fixtures;
  }

  private load(directory: string): E.Either<string, Fixtures> {
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
  ): E.Either<string, Fixtures> {
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

function pick({ resources, resourceGroups }: Fixtures): Pick<Fixtures, "resources" | "resourceGroups"> {
  return { resources, resourceGroups };
}

/** What is wrong with the groups of a file: members that are not there. */
function groupFault(groups: Fixtures, members: Fixtures): string | undefined {
  return (
    memberFault(groups.principalGroups, (name) => members.principals.has(name)) ??
    memberFault(groups.resourceGroups, (name) => members.resources.has(name))
  );
}

/** The first member of a group that does not exist. */
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

/** As Go's `%q`, for the names that people write. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
