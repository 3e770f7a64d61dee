new RTCPeerConnection({ iceServers: [{ urls: "turn:collect.example:3478" }] });
