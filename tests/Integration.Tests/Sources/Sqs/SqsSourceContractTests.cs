using Integration.Tests.Servers;
using Worker.Tests.Sources.Contract;

namespace Integration.Tests.Sources.Sqs;

public sealed class SqsSourceContractTests(AwsServer aws) : MessageSourceContract
{
    private protected override async ValueTask<SourceHarness> CreateAsync() => await SqsSourceHarness.CreateAsync(await aws.RequireAsync());
}
