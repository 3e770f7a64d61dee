const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
