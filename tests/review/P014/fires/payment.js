const request = new PaymentRequest(methods, details);
await request.show();
