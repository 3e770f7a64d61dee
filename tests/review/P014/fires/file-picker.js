const [handle] = await window.showOpenFilePicker({ multiple: false });
