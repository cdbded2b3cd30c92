/**
 * Light or dark, as the reader chose on any page of the site: VitePress keeps the choice under the same name. This runs
 * before the page is shown.
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

/** The system's own appearance is not kept as a choice, so that the page goes on following the system. */
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
