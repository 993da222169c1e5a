using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Aws;

public sealed class AwsOptionsTests
{
    [Theory]
    [InlineData("")]
    [InlineData("Region=eu-west-1;Endpoint=http://127.0.0.1:4566")]
    [InlineData("Endpoint=http://localhost:4566")]
    [InlineData("Endpoint=http://[::1]:4566")]
    [InlineData("Endpoint=https://s3.example.com")]
    [InlineData("Endpoint=http://minio.internal:9000;AllowPlainHttp=true")]
    [InlineData("AccessKeyId=AKID;SecretAccessKey=canary;SessionToken=canary")]
    [InlineData("Profile=prod")]
    public void Validate_UsableSettings_AreAccepted(string settings)
    {
        Read(settings).ShouldBeEmpty();
    }

    [Theory]
    [InlineData("Endpoint=http://minio.internal:9000", "Aws:Endpoint")]
    [InlineData("Endpoint=ftp://127.0.0.1", "Aws:Endpoint")]
    [InlineData("Endpoint=https://user:pw@s3.example.com", "Aws:Endpoint")]
    [InlineData("Endpoint=https://s3.example.com/path", "Aws:Endpoint")]
    [InlineData("Endpoint=https://s3.example.com/?x=1", "Aws:Endpoint")]
    [InlineData("Region=Ireland", "Aws:Region")]
    [InlineData("SecretAccessKey=canary", "Aws:AccessKeyId")]
    [InlineData("SessionToken=canary", "Aws:AccessKeyId")]
    [InlineData("AccessKeyId=canary", "Aws:SecretAccessKey")]
    [InlineData("AccessKeyId=canary;SecretAccessKey=canary;Profile=prod", "Aws:Profile")]
    public void Validate_UnusableSettings_AreReportedWithoutSecrets(string settings, string key)
    {
        ConfigurationError error = Read(settings).ShouldHaveSingleItem();

        error.Key.ShouldBe(key);
        error.ToString().ShouldNotContain("canary");
    }

    private static IReadOnlyList<ConfigurationError> Read(string settings)
    {
        Dictionary<string, string?> values = settings.Split(';', StringSplitOptions.RemoveEmptyEntries)
            .ToDictionary(s => $"Aws:{s[..s.IndexOf('=')]}", s => (string?)s[(s.IndexOf('=') + 1)..], StringComparer.Ordinal);
        SettingsReader reader = new(new ConfigurationBuilder().AddInMemoryCollection(values).Build());
        reader.Read<AwsOptions>(AwsOptions.Section);
        return reader.Errors;
    }
}
