using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Configuration;

public sealed class ConfigurationErrorTests
{
    [Fact]
    public void ToString_ControlCharacters_AreEscaped() =>
        new ConfigurationError("Aws:Re\tgion", "eu\u001b[2J", "must be a region.")
            .ToString()
            .ShouldBe("Aws:Re\\u0009gion = \"eu\\u001b[2J\": must be a region.");

    [Theory]
    [InlineData("must be names; \"u:hidden@h\" is none.", "must be names; \"***@h\" is none.")]
    [InlineData("must be names; 'Password=hidden b' is none, nor the worker's own.", "must be names; 'Password=***' is none, nor the worker's own.")]
    [InlineData("has https://a.example/b?sig=hidden in it. Is it a container?", "has https://a.example/b?*** in it. Is it a container?")]
    [InlineData("\"https://u:hidden@a\" and \"b c\" are no names.", "\"https://***@a\" and \"b c\" are no names.")]
    [InlineData("must be http://127.0.0.1:80, with a port. Did you mean http://a?", "must be http://127.0.0.1:80, with a port. Did you mean http://a?")]
    public void Problem_QuotesASecret_IsMasked(string problem, string expected)
    {
        ConfigurationError error = new("Own:Items", Value: null, problem, problem);

        (error.Problem, error.Consequence).ShouldBe((expected, expected));
    }

    [Fact]
    public void Key_HoldsAConnectionString_IsMasked() =>
        new ConfigurationError("Own:Endpoint=sb://a/;SharedAccessKey=hidden", "u:hidden@h", "is not a known key.").ToString()
            .ShouldBe("Own:Endpoint=sb://a/;SharedAccessKey=*** = \"***@h\": is not a known key.");

    [Fact]
    public void StartupException_QuotesASecret_IsMasked() =>
        new StartupException("The queue 'https://sqs.example/orders?X-Amz-Signature=hidden' does not exist.").Message
            .ShouldBe("The queue 'https://sqs.example/orders?***' does not exist.");

    [Fact]
    public void Errors_ProblemQuotesASecretSetting_ShowItMasked()
    {
        SettingsReader settings = new(new ConfigurationBuilder()
            .AddInMemoryCollection([
                new("Own:Names:0", "plain"), new("Own:Names:1", "hunter2-hidden"), new("Own:Pass", "hunter2-hidden"), new("Own:Tags:password", "hidden")])
            .Build());

        _ = settings.Read<Quoting>("Own");

        settings.Errors.Single().ToString().ShouldBe("Own:Names = \"plain, ***\": must be words; \"***\" is none.");
        settings.Effective.Single(setting => setting.Key == "Own:Tags:password").Value.ShouldBe("***");
    }

    [SuppressMessage("Performance", "CA1812", Justification = "Read by the settings reader")]
    private sealed class Quoting : ISelfValidating
    {
        [Setting("Names")]
        public string[] Names { get; init; } = [];

        [Setting("A password", Secret = true)]
        public string Pass { get; init; } = string.Empty;

        [Setting("Tags")]
        public IReadOnlyDictionary<string, string> Tags { get; init; } = new Dictionary<string, string>();

        public void Validate(SettingsCheck check) => check.Fail(nameof(Names), $"must be words; \"{Names[1]}\" is none.");
    }
}
