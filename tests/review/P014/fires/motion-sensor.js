const sensor = new Accelerometer({ frequency: 60 });
sensor.start();
