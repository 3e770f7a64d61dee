const access = await navigator.requestMIDIAccess({ sysex: true });
