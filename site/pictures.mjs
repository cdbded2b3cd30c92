// Pictures that stand in a page as SVG elements, so that they take its colours in light and dark.
import { readFileSync } from "node:fs";

/** Renders images of `.svg` files in this folder as the elements that the files contain. */
export function inlinePictures(md) {
  const asImage = md.renderer.rules.image;
  md.renderer.rules.image = (tokens, index, ...rest) => {
    const source = tokens[index].attrGet("src");
    if (!/^[\w-]+\.svg$/.test(source)) return asImage(tokens, index, ...rest);
    return readFileSync(new URL(source, import.meta.url), "utf8");
  };
}
