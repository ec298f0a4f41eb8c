// Before the first paint, so that no theme flashes. Not inline: the content security policy forbids it.
(() => {
  const chosen = localStorage.getItem('discern.theme');
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = chosen === 'light' || chosen === 'dark' ? chosen : system;
})();
