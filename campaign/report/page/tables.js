  // The tables below: planted bugs and by what they were found, and what happened to the campaign.

  const textOf = (value) => {
    if (value === null || value === undefined) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };

  // Whatever keys the mutants have, in the order in which they first appear.
  const fillMutants = (data) => {
    const mutants = data.mutants.filter((mutant) => typeof mutant === 'object' && mutant !== null);
    if (mutants.length === 0) return;
    const keys = [...new Set(mutants.flatMap((mutant) => Object.keys(mutant)))];
    const found = mutants.filter((mutant) => textOf(mutant.found_by) !== '').length;
    const isNumber = (key) => mutants.every((mutant) =>
      mutant[key] === undefined || mutant[key] === null || typeof mutant[key] === 'number');
    const columns = keys.map((key) => ({
      title: key.replaceAll('_', ' '),
      number: isNumber(key),
      cell: (mutant) => key === 'found_by' && textOf(mutant[key]) === ''
        ? el('span', { class: 'pill bad' }, 'not found')
        : textOf(mutant[key]),
    }));
    byId('mutants-section').hidden = false;
    byId('mutants').append(
      el('p', { class: 'note' }, `${withCommas(found)} of ${counted(mutants.length, 'planted bug')} found`),
      scrollBox('Planted bugs', tableOf('Planted bugs', columns, mutants)));
  };

  const wordsOf = (note) => Object.entries(note)
    .filter(([key, value]) => key !== 'event' && key !== 't' && value !== '')
    .map(([key, value]) => `${key.replaceAll('_', ' ')}: ${textOf(value)}`).join(' · ');

  const fillNotes = (data) => {
    if (data.notes.length === 0) return;
    const columns = [
      { title: 'Time', cell: (note) => duration(note.t) },
      { title: 'Event', cell: (note) => note.event },
      { title: 'What', cell: wordsOf },
    ];
    byId('notes-section').hidden = false;
    const left = data.notes_left_out;
    byId('notes').append(
      left > 0 ? el('p', { class: 'note' }, `${counted(left, 'earlier event')} left out`) : '',
      scrollBox('Events', tableOf('Events', columns, data.notes), 'scroll tall'));
  };
