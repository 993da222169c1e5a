using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;
using Quayside_Worker;

return await WorkerApp.RunAsync(args, worker =>
{
    worker.Services.AddSingleton<OrderBook>();
    worker.AddHttp().AddConsole().AddArchive().AddHandler<OrderPlaced, StoreOrder>("Orders", OrderJson.Default.OrderPlaced);
});
