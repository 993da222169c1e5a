using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;
using Samples.Archive;

// Two routes into one sink: every message as it is, and each reading in a form of its own.
return await WorkerApp.RunAsync(args, worker => worker
    .AddHttp()
    .AddConsole()
    .AddS3()
    .AddArchive()
    .AddStoringHandler<Reading, StoreReading>("Readings", ReadingJson.Default.Reading));
