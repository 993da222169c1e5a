namespace Integration.Tests.Packages;

/// <summary>The packages and an empty folder are enough to build and run a worker.</summary>
[Collection(PackageCollection.Name)]
public sealed class NewcomerTests(PackedPackages packages)
{
    private const string Program = """
        using System.Text.Json.Serialization;
        using Quayside.Messaging.Aws;
        using Quayside.Messaging.CloudFront;
        using Quayside.Messaging.Handlers;
        using Quayside.Messaging.Hosting;
        using Quayside.Messaging.Http;
        using Quayside.Messaging.Sockets;
        using Quayside.Messaging.Sources.Channels;
        using Microsoft.Extensions.DependencyInjection;
        using Microsoft.Extensions.Hosting;
        using Quayside.Pipeline.Settlements;

        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddSingleton<TaskCompletionSource<string>>();
        builder.AddMessageWorker(worker => worker
            .AddHttp().AddSqs().AddS3().AddUdp().AddTcpLines().AddCloudFront().AddElasticsearch()
            .AddHandler<OrderPlaced, StoreOrder>("Orders", OrderJson.Default.OrderPlaced));
        using IHost host = builder.Build();
        await host.StartAsync();
        await host.Services.GetRequiredService<IMessagePublisher>().PublishAsync("{\"OrderId\":\"4711\"}"u8.ToArray());
        Console.WriteLine($"stored {await host.Services.GetRequiredService<TaskCompletionSource<string>>().Task}");
        await host.StopAsync();

        public sealed record OrderPlaced(string OrderId);

        [JsonSerializable(typeof(OrderPlaced))]
        public sealed partial class OrderJson : JsonSerializerContext;

        public sealed class StoreOrder(TaskCompletionSource<string> stored) : IMessageHandler<OrderPlaced>
        {
            public ValueTask<Settlement> HandleAsync(OrderPlaced message, MessageInfo info, CancellationToken cancellationToken)
            {
                stored.SetResult(message.OrderId);
                return ValueTask.FromResult(Settlement.Complete);
            }
        }
        """;

    [Fact]
    public async Task Worker_FromThePackagesAlone_BuildsWithoutWarningsAndStoresAMessage()
    {
        using NewcomerFolder folder = new(packages);
        folder.Write("Program.cs", Program);
        folder.Write("orders.csproj", $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                <Nullable>enable</Nullable>
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
                <!-- NU1900: the list of vulnerable packages is out of reach. -->
                <WarningsNotAsErrors>NU1900</WarningsNotAsErrors>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="Quayside.Messaging.Http" Version="{packages.Version}" />
                <PackageReference Include="Quayside.Messaging.CloudFront" Version="{packages.Version}" />
                <PackageReference Include="Quayside.Messaging.Elasticsearch" Version="{packages.Version}" />
                <PackageReference Include="Quayside.Messaging.Sockets" Version="{packages.Version}" />
              </ItemGroup>
            </Project>
            """);

        await DotnetCommand.RunAsync(folder.Path, "build", "-v", "quiet", "-o", "out");
        string output = await DotnetCommand.RunAsync(
            folder.Path, folder.Combine("out", "orders.dll"), "--Routes:orders:Source=Channel", "--Routes:orders:Handler=Orders",
            "--Hosting:Url=http://127.0.0.1:0");

        output.ShouldContain("stored 4711");
        output.ShouldContain("1 completed");
    }
}
