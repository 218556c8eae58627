  // Fills the page, and closes the scope that dom.js opened.
  const data = JSON.parse(byId('data').textContent);
  fillHeader(data);
  fillHeadline(data);
  fillProblems(data);
  fillFindings(data);
  fillCharts(data);
  fillCoverage(data);
  fillMutants(data);
  fillNotes(data);
  document.documentElement.dataset.ready = 'yes';
})();
