// VitePress's own theme, in the fonts that the reader's system has.
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

// biome-ignore lint/style/noDefaultExport: VitePress reads a theme from a default export.
export default DefaultTheme;
