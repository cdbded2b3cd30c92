// The entries of the package, read from the exports in package.json.
import { existsSync, readFileSync } from "node:fs";

/** Each entry's import name and its source file, as a path from the root. */
export function entries(root) {
  const { name, exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target !== "object") return [];
    const source = target.types.replace("./dist/types/", "src/").replace(/\.d\.ts$/, ".ts");
    if (!existsSync(root + source)) throw new Error(`package.json exports ${path}, which has no ${source}`);
    return [{ name: name + path.slice(1), source }];
  });
}
