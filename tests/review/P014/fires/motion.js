await DeviceMotionEvent.requestPermission();
