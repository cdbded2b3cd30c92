// Inlines pictures as SVG elements, so that they follow the page's light and dark colours.
import { readFileSync } from "node:fs";

/** Renders images that refer to `.svg` files of this folder as inline SVG elements. */
export function inlinePictures(md) {
  const asImage = md.renderer.rules.image;
  md.renderer.rules.image = (tokens, index, ...rest) => {
    const source = tokens[index].attrGet("src");
    if (!/^[\w-]+\.svg$/.test(source)) return asImage(tokens, index, ...rest);
    return readFileSync(new URL(source, import.meta.url), "utf8");
  };
}
