new IdleDetector().start();
