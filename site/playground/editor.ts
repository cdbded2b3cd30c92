/**
 * A text editor in a shadow tree. There its styles are adopted style sheets, which the content security policy allows
 * although it forbids style elements.
 */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { visible } from "../../src/policy/escape.js";
import type { Problem } from "./evaluation.js";

export type Language = "yaml" | "json";

const LANGUAGES = { yaml, json };

/** The page's colours, for light and dark. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--name)" },
  { tag: [tags.string, tags.content], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--value)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--soft)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--fg)", backgroundColor: "var(--bg)", fontSize: "14px" },
  "&.cm-focused": { outline: "3px solid var(--focus)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--fg)" },
  ".cm-gutters": { backgroundColor: "var(--band)", color: "var(--soft)", border: "0" },
  ".cm-activeLine": { backgroundColor: "var(--active)" },
  ".cm-tooltip": { backgroundColor: "var(--bg)", color: "var(--fg)", border: "1px solid var(--line)" },
});

export class Editor {
  private readonly view: EditorView;
  private readonly label: string;
  private readonly changed: () => void;
  private isFilling = false;

  /** `changed` is called when the reader types, not when `fill` sets the text. */
  constructor(parent: HTMLElement, label: string, changed: () => void) {
    this.label = label;
    this.changed = changed;
    const root = parent.attachShadow({ mode: "open" });
    this.view = new EditorView({ state: this.stateOf("", "yaml"), parent: root, root });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Replaces the text and starts a new undo history. */
  fill(text: string, language: Language): void {
    this.isFilling = true;
    this.view.setState(this.stateOf(text, language));
    this.isFilling = false;
  }

  /** Marks problems of the text in the editor. */
  mark(problems: readonly Problem[]): void {
    const { state } = this.view;
    this.view.dispatch(
      setDiagnostics(
        state,
        problems.map((problem) => diagnosticOf(problem, state.doc)),
      ),
    );
  }

  /** Moves the cursor. Line and column count from one. */
  goTo(line: number, column: number): void {
    const at = offsetOf(this.view.state.doc, line, column);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  private stateOf(doc: string, language: Language): EditorState {
    return EditorState.create({
      doc,
      extensions: [
        lineNumbers(),
        history(),
        highlightActiveLine(),
        lintGutter(),
        // Tab leaves the editor, as it leaves every other control.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        LANGUAGES[language](),
        syntaxHighlighting(COLOURS),
        THEME,
        EditorView.contentAttributes.of({ "aria-label": this.label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !this.isFilling) this.changed();
        }),
      ],
    });
  }
}

function diagnosticOf({ line, column, severity, code, message, hint }: Problem, text: Text): Diagnostic {
  const from = offsetOf(text, line, column);
  const end = text.lineAt(from).to;
  const [word = ""] = /^[\w.$-]*/.exec(text.sliceString(from, end)) ?? [];
  return {
    from,
    to: Math.min(end, from + Math.max(1, word.length)),
    severity: severity === "note" ? "info" : severity,
    source: code,
    message: visible(hint === undefined ? message : `${message} (${hint})`),
  };
}

/** The offset of a position, clamped because the text may have changed since. */
function offsetOf(text: Text, line: number, column: number): number {
  const { from, to } = text.line(Math.min(Math.max(1, line), text.lines));
  return Math.min(to, from + Math.max(0, column - 1));
}
