using Messaging.CommandLine;
using Messaging.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Quayside_Worker;

return await WorkerApp.RunAsync(args, worker =>
{
    worker.Services.AddSingleton<OrderBook>();
    worker.AddHttp().AddArchive().AddHandler<OrderPlaced, StoreOrder>("Orders", OrderJson.Default.OrderPlaced);
});
