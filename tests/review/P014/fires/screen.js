const stream = await navigator.mediaDevices.getDisplayMedia({ video: true });
