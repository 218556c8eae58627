  // Numbers as people read them. Always the same on every machine, so no locale of the browser's.

  const withCommas = (value) =>
    String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

  const rate = (value) => {
    if (value >= 100) return withCommas(value);
    return value >= 10 ? value.toFixed(1) : value.toFixed(2);
  };

  const percent = (share) => {
    if (share > 0 && share < 0.001) return '< 0.1 %';
    return `${(share * 100).toFixed(share > 0.9995 || share === 0 ? 0 : 1)} %`;
  };

  const counted = (count, noun) => `${withCommas(count)} ${noun}${count === 1 ? '' : 's'}`;

  // "3 d 4 h", "2 h 5 min", "1 min 5 s", "0.42 s": the two largest units.
  const duration = (seconds) => {
    const units = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
    if (seconds < 10) return `${Number(seconds.toFixed(2))} s`;
    let rest = Math.round(seconds);
    const parts = [];
    for (const [name, size] of units) {
      const count = Math.floor(rest / size);
      rest -= count * size;
      if (count > 0) parts.push(`${count} ${name}`);
      else if (parts.length > 0) break;
      if (parts.length === 2) break;
    }
    return parts.join(' ');
  };
