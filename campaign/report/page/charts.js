  // Curves over time, drawn by uPlot where this build has it; the numbers are always there as a
  // table too.

  const kChartHeight = 190;
  const kRowsShown = 24;

  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // {title, key, unit, stepped, colour, format}
  const curvesOf = (series) => [
    { title: 'Cases per second', key: 'cases_per_s', colour: '--curve-1', format: rate },
    { title: 'Findings', key: 'findings', colour: '--curve-2', format: withCommas, stepped: true },
    { title: 'Coverage cells hit', key: 'cells', colour: '--curve-3', format: withCommas },
    { title: 'Cases', key: 'cases', colour: '--curve-4', format: withCommas },
  ].filter((curve) => series[curve.key].some((value) => value !== null));

  // Where the curves over hours have their marks: at whole minutes, hours and days.
  const kTimeSteps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200,
    86400, 172800, 345600, 604800, 1209600];

  const axis = (format) => ({
    stroke: style('--muted'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: style('--line'), width: 1 },
    ticks: { stroke: style('--line'), width: 1, size: 4 },
    values: (_, values) => values.map((value) => value === null ? '' : format(value)),
  });

  const optionsOf = (curve, width, few) => ({
    width,
    height: kChartHeight,
    cursor: { sync: { key: 'time' }, points: { size: 7 }, y: false },
    legend: { show: true, live: true },
    scales: {
      x: { time: false, range: (_, low, high) => [0, high] },
      // Curves begin at zero: a dip of one percent must not look like a breakdown.
      y: { range: (_, low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      { ...axis(duration), space: 80, size: 34, incrs: kTimeSteps },
      {
        ...axis((value) =>
          Number.isInteger(value) ? shortCount(value) : String(Number(value.toFixed(2)))),
        size: 52,
        // No half findings.
        incrs: curve.stepped ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000] : undefined,
      },
    ],
    series: [
      { label: 'Time', value: (_, value) => value === null ? '' : duration(value) },
      {
        label: curve.title,
        stroke: style(curve.colour),
        fill: `${style(curve.colour)}22`,
        width: 2,
        // Of a short campaign single points, which a line does not show.
        points: { show: few },
        paths: curve.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
        value: (_, value) => value === null ? '' : curve.format(value),
      },
    ],
  });

  const summaryOf = (series, curve) => {
    const known = series[curve.key].filter((value) => value !== null);
    const last = known[known.length - 1];
    return `${curve.title}: ${curve.format(last)} at the end, at most ` +
      `${curve.format(Math.max(...known))}`;
  };

  const chartNode = (series, curve) => {
    const canvas = el('div', { class: 'canvas', role: 'img', 'aria-label': summaryOf(series, curve) });
    const figure = el('figure', { class: 'panel chart' }, el('figcaption', {}, curve.title), canvas);
    let plot = null;
    const draw = () => {
      const width = Math.max(200, canvas.clientWidth);
      if (plot !== null) plot.destroy();
      const options = optionsOf(curve, width, series.t.length < 40);
      plot = new uPlot(options, [series.t, series[curve.key]], canvas);
    };
    const ready = () => {
      draw();
      new ResizeObserver(() => {
        const width = Math.max(200, canvas.clientWidth);
        if (width !== plot.width) plot.setSize({ width, height: kChartHeight });
      }).observe(canvas);
      // Colours on a canvas do not follow the style sheet.
      matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    };
    return { figure, ready };
  };

  const seriesTable = (series, curves, open) => {
    const count = series.t.length;
    const shown = Math.min(count, kRowsShown);
    const rows = Array.from({ length: shown }, (_, i) =>
      Math.round((i + 1) * count / shown) - 1);
    const cell = (curve) => (i) => {
      const value = series[curve.key][i];
      return value === null ? '' : curve.format(value);
    };
    const columns = [{ title: 'Time', cell: (i) => duration(series.t[i]) },
      ...curves.map((curve) => ({ title: curve.title, number: true, cell: cell(curve) }))];
    return el('details', { class: 'block', id: 'series-table', open },
      el('summary', {}, 'The same as a table'),
      scrollBox('Progress over time', tableOf('Progress over time', columns, rows)));
  };

  const fillCharts = (data) => {
    const { series } = data;
    const curves = curvesOf(series);
    if (series.t.length === 0) {
      byId('charts').append(el('p', { class: 'empty' }, 'This campaign noted no progress.'));
      return;
    }
    const drawable = typeof uPlot !== 'undefined' && series.t.length > 1;
    if (drawable) {
      const charts = curves.map((curve) => chartNode(series, curve));
      byId('charts').append(...charts.map((chart) => chart.figure));
      charts.forEach((chart) => chart.ready());
    }
    byId('series').append(seriesTable(series, curves, !drawable));
  };
