const reader = new NDEFReader();
await reader.scan();
