export const later = (work, time) => setTimeout(work, time);
