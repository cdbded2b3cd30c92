// The entries of the package, by what package.json exports.
import { existsSync, readFileSync } from "node:fs";

/** Each with the name that programs import, and the source that it is built from, as a path from the root. */
export function entries(root) {
  const { name, exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target !== "object") return [];
    const source = target.types.replace("./dist/types/", "src/").replace(/\.d\.ts$/, ".ts");
    if (!existsSync(root + source)) throw new Error(`package.json exports ${path}, which has no ${source}`);
    return [{ name: name + path.slice(1), source }];
  });
}
