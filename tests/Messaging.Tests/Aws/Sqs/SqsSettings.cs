using Microsoft.Extensions.Configuration;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>The configuration of a command that talks to a <see cref="FakeQueue"/>.</summary>
internal static class SqsSettings
{
    public static IConfiguration For(FakeQueue queue, string name = "orders") => new ConfigurationBuilder()
        .AddInMemoryCollection(new Dictionary<string, string?>(StringComparer.Ordinal)
        {
            ["Sources:Sqs:Queue"] = name,
            ["Aws:Endpoint"] = queue.Address.ToString(),
            ["Aws:Region"] = "eu-west-1",
            ["Aws:AccessKeyId"] = "AKIDTEST",
            ["Aws:SecretAccessKey"] = "secret",
        })
        .Build();
}
