const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
