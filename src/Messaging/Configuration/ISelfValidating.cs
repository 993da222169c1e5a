namespace Messaging.Configuration;

/// <summary>Settings with rules across several keys.</summary>
public interface ISelfValidating
{
    /// <summary>Reports each broken rule through <paramref name="check"/>, with the property it is about.</summary>
    void Validate(SettingsCheck check);
}
