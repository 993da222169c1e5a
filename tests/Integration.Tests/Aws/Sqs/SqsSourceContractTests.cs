using Integration.Tests.Servers;
using Quayside.Messaging.Testing.Xunit;

namespace Integration.Tests.Aws.Sqs;

public sealed class SqsSourceContractTests(AwsServer aws) : MessageSourceContractTests
{
    protected override async ValueTask<SourceHarness> CreateAsync() => await SqsSourceHarness.CreateAsync(await aws.RequireAsync());
}
