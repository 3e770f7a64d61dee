const { clipboard } = navigator;
await clipboard.writeText(link);
