handlers[event.type](event);
window[callback](data);
actions[names[0]]();
