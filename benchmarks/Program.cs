using Benchmarks;

return await BenchmarkCommand.RunAsync(args);
