test('it ticks', () => {});
