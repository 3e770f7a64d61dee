Math.max(...numbers);
list.push(...more);
new Date(...parts);
new Map(...pairs);
