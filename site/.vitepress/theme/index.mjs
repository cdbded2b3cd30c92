// VitePress's default theme with system fonts.
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

// biome-ignore lint/style/noDefaultExport: VitePress reads a theme from a default export.
export default DefaultTheme;
