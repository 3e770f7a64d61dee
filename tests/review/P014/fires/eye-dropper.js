new EyeDropper().open();
