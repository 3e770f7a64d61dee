const session = await navigator.xr.requestSession("immersive-vr");
