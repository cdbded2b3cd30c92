/** Lists the package's exports as text: each export of each entry, with its declaration from the compiler. */

import { readFileSync } from "node:fs";
import ts from "@typescript/typescript6";

const HEAD = `# Public API

Each export of each entry of the package, as the compiler declares it. This page is written by \`npm run public-api\`, and a
test fails when it is out of date: what changes for programs shows in the change itself. What the names mean is said where
they are declared, and in the API reference of the documentation site. Most types of parts of a result have no name here:
\`PolicyDiff["changes"][number]\` is one change of a comparison.
`;

/** The content of the page, from the declarations in `dist/types`. `root`: the package's directory, with a final `/`. */
export function publicApi(root: string): string {
  const entries = entriesOf(root);
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      strict: true,
      skipLibCheck: true,
      types: ["node"],
    },
  );
  const checker = program.getTypeChecker();
  const first = new Map<ts.Symbol, string>();
  const sections = entries.map(({ name, file }) => {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (module === undefined) return `\n## ${name}\n\nNothing: it is imported for its effect.\n`;
    const declared: string[] = [];
    const again: string[] = [];
    for (const symbol of checker.getExportsOfModule(module).toSorted((a, b) => compareText(a.name, b.name))) {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const known = first.get(target);
      if (known === undefined) declared.push(declarationOf(symbol.name, target));
      else again.push(`- \`${symbol.name}\`, of \`${known}\`\n`);
      first.set(target, known ?? name);
    }
    const code = declared.length === 0 ? "" : `\n\`\`\`ts\n${declared.join("\n")}\`\`\`\n`;
    return `\n## ${name}\n${code}${again.length === 0 ? "" : `\n${again.join("")}`}`;
  });
  return `${HEAD}${sections.join("")}`;
}

/** The entries with types, in the order of package.json. */
function entriesOf(root: string): readonly { readonly name: string; readonly file: string }[] {
  const { name, exports }: { name: string; exports: { readonly [path: string]: string | { readonly types: string } } } =
    JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string" ? [] : [{ name: name + path.slice(1), file: root + target.types.slice(2) }],
  );
}

const printer = ts.createPrinter({ removeComments: true });

/** The declarations of a symbol (one for each overload of a function), without comments. */
function declarationOf(name: string, symbol: ts.Symbol): string {
  const own = symbol.declarations?.map((each) =>
    ts.isVariableDeclaration(each) && ts.isVariableStatement(each.parent.parent) ? each.parent.parent : each,
  );
  if (own === undefined || own.length === 0) throw new Error(`${name} is declared nowhere`);
  const alias = symbol.name === name ? "" : `// exported as ${name}\n`;
  const texts = own.map((each) => exported(printer.printNode(ts.EmitHint.Unspecified, each, each.getSourceFile())));
  return `${alias}${texts.join("\n")}\n`;
}

/** A declaration with `export` modifiers, which the bundler of declarations moves to a list. */
function exported(declaration: string): string {
  const plain = declaration.replace(/^(?:export )?(?:declare )?/, "");
  return /^(?:interface|type) /.test(plain) ? `export ${plain}` : `export declare ${plain}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
