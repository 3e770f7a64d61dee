const Peer = window.RTCPeerConnection || window.webkitRTCPeerConnection;
const peer = new Peer({ iceServers: [] });
