// Formulas by KaTeX, whose files lie beside the page: nothing is fetched from elsewhere.
// Sphinx loads this file where a page has formulas, and leaves them as \( … \) and \[ … \] in elements of class "math".
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".math")) {
    const found = element.textContent.trim().match(/^\\([([])([\s\S]*)\\[)\]]$/);
    if (found) katex.render(found[2], element, { displayMode: found[1] === "[", throwOnError: false });
  }
});
