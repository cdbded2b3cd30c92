/**
 * Applies the light or dark theme that the reader chose on any page of the site: VitePress stores the choice under the
 * same key. Runs before the page is shown.
 */

const KEY = "vitepress-theme-appearance";
const system = matchMedia("(prefers-color-scheme: dark)");

function isDark(): boolean {
  const choice = localStorage.getItem(KEY);
  return choice === "dark" || (choice !== "light" && system.matches);
}

function show(): void {
  document.documentElement.classList.toggle("dark", isDark());
  document.getElementById("theme")?.setAttribute("aria-checked", String(isDark()));
}

/** A choice equal to the system's theme is not stored, so that the page continues to follow the system. */
function toggle(): void {
  const dark = !isDark();
  localStorage.setItem(KEY, dark === system.matches ? "auto" : dark ? "dark" : "light");
  show();
}

show();
system.addEventListener("change", show);
addEventListener("storage", ({ key }) => {
  if (key === KEY || key === null) show();
});
addEventListener("DOMContentLoaded", () => {
  show();
  document.getElementById("theme")?.addEventListener("click", toggle);
});

export {};
