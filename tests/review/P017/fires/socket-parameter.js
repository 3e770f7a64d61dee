export const connect = (host) => new WebSocket(`wss://${host}/live`);
