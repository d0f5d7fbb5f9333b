/* Loaded in <head>, before first paint: sets the theme from ?theme=, then from the stored choice, else the system's. */
(() => {
  const root = document.documentElement;
  const asked = new URLSearchParams(location.search).get("theme");
  let stored = null;
  try { stored = localStorage.getItem("theme"); } catch { /* storage may be blocked */ }
  const theme = asked || stored;
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  root.classList.add("js");
})();
